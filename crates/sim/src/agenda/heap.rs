//! Events that are far away.

use super::Event;

/// A heap with four children a node: half the levels of a binary one, and the children of a node
/// share a cache line. Nothing is allocated once it has its size.
#[derive(Debug, Default)]
pub(super) struct Heap(Vec<Event>);

const CHILDREN: usize = 4;

impl Heap {
    pub fn put(&mut self, event: Event) {
        let heap = &mut self.0;
        let mut hole = heap.len();
        heap.push(event);
        while hole > 0 {
            let parent = (hole - 1) / CHILDREN;
            if heap[parent] <= event {
                break;
            }
            heap[hole] = heap[parent];
            hole = parent;
        }
        heap[hole] = event;
    }

    pub fn first(&self) -> Option<Event> {
        self.0.first().copied()
    }

    pub fn take(&mut self) -> Option<Event> {
        let heap = &mut self.0;
        let first = *heap.first()?;
        let last = heap.pop()?;
        let length = heap.len();
        if length == 0 {
            return Some(first);
        }
        let mut hole = 0;
        loop {
            let children = hole * CHILDREN + 1;
            if children >= length {
                break;
            }
            let end = (children + CHILDREN).min(length);
            let mut least = children;
            for child in children + 1..end {
                if heap[child] < heap[least] {
                    least = child;
                }
            }
            if last <= heap[least] {
                break;
            }
            heap[hole] = heap[least];
            hole = least;
        }
        heap[hole] = last;
        Some(first)
    }
}
