//! Which CPUs are near to each other.

/// Most CPUs that can be simulated.
pub const CPUS_MAX: usize = 512;

const WORDS: usize = CPUS_MAX / 64;

/// How far apart two CPUs are, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Two threads of one core.
    Core,
    /// Cores with a last-level cache in common.
    Cluster,
    /// One socket, another last-level cache or die.
    Socket,
    /// Another socket.
    Machine,
}

/// All tiers, nearest first.
pub const TIERS: [Tier; 4] = [Tier::Core, Tier::Cluster, Tier::Socket, Tier::Machine];

/// A set of CPUs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuSet([u64; WORDS]);

impl CpuSet {
    /// Only this one.
    pub fn only(cpu: usize) -> Self {
        let mut set = Self::default();
        set.insert(cpu);
        set
    }

    /// Adds one.
    pub fn insert(&mut self, cpu: usize) {
        self.0[cpu / 64] |= 1 << (cpu % 64);
    }

    /// Takes one out.
    pub fn remove(&mut self, cpu: usize) {
        self.0[cpu / 64] &= !(1 << (cpu % 64));
    }

    /// Whether it is in.
    pub fn contains(&self, cpu: usize) -> bool {
        self.0[cpu / 64] >> (cpu % 64) & 1 == 1
    }

    /// Whether none is in.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// How many are in.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn without(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
        self
    }
}

/// Sockets of clusters of cores of threads, each level of equal size. CPUs are numbered socket by
/// socket and core by core, and all first threads come before all second ones, as Linux does on
/// x86.
#[derive(Debug, Clone)]
pub struct Topology {
    places: Vec<Place>,
    same_core: Vec<CpuSet>,
    same_cluster: Vec<CpuSet>,
    same_socket: Vec<CpuSet>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    core: usize,
    cluster: usize,
    socket: usize,
}

/// How many there are of each level within the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Sockets in the machine.
    pub sockets: usize,
    /// Clusters (last-level caches) in a socket.
    pub clusters: usize,
    /// Cores in a cluster.
    pub cores: usize,
    /// Threads of a core.
    pub threads: usize,
}

impl Shape {
    /// One socket with one cache.
    pub const fn flat(cpus: usize) -> Self {
        Self {
            sockets: 1,
            clusters: 1,
            cores: cpus,
            threads: 1,
        }
    }

    /// All CPUs; saturating, since it is typed by a user.
    pub fn cpus(&self) -> usize {
        [self.sockets, self.clusters, self.cores, self.threads]
            .iter()
            .fold(1, |product, n| product.saturating_mul(*n))
    }
}

impl Topology {
    /// The machine of this shape. Of a larger one the first [`CPUS_MAX`] CPUs are there.
    pub fn new(shape: Shape) -> Self {
        let cores = shape.cpus() / shape.threads;
        let places: Vec<Place> = (0..shape.cpus().min(CPUS_MAX))
            .map(|cpu| {
                let core = cpu % cores;
                let cluster = core / shape.cores;
                Place {
                    core,
                    cluster,
                    socket: cluster / shape.clusters,
                }
            })
            .collect();
        let sets = |level: fn(&Place) -> usize, count: usize| {
            let mut sets = vec![CpuSet::default(); count];
            for (cpu, place) in places.iter().enumerate() {
                sets[level(place)].insert(cpu);
            }
            sets
        };
        Self {
            same_core: sets(|place| place.core, cores),
            same_cluster: sets(|place| place.cluster, shape.sockets * shape.clusters),
            same_socket: sets(|place| place.socket, shape.sockets),
            places,
        }
    }

    /// How many CPUs there are.
    pub fn cpus(&self) -> usize {
        self.places.len()
    }

    /// The socket of a CPU: its memory node.
    pub fn socket(&self, cpu: usize) -> usize {
        self.places[cpu].socket
    }

    /// The cluster of a CPU, counted through the machine.
    pub fn cluster(&self, cpu: usize) -> usize {
        self.places[cpu].cluster
    }

    /// The next thread of the same core, itself if it has only one.
    pub fn sibling(&self, cpu: usize) -> usize {
        let core = &self.same_core[self.places[cpu].core];
        let others = (1..self.cpus()).map(|step| (cpu + step) % self.cpus());
        let mut others = others.filter(|other| core.contains(*other));
        others.next().unwrap_or(cpu)
    }

    /// How far apart two CPUs are; a CPU is as near to itself as its sibling.
    pub fn tier(&self, a: usize, b: usize) -> Tier {
        let (a, b) = (self.places[a], self.places[b]);
        match () {
            () if a.core == b.core => Tier::Core,
            () if a.cluster == b.cluster => Tier::Cluster,
            () if a.socket == b.socket => Tier::Socket,
            () => Tier::Machine,
        }
    }

    /// The nearest of a set; none of an empty one.
    pub fn nearest(&self, cpu: usize, set: &CpuSet) -> Option<Tier> {
        let place = self.places[cpu];
        match () {
            () if set.meets(&self.same_core[place.core]) => Some(Tier::Core),
            () if set.meets(&self.same_cluster[place.cluster]) => Some(Tier::Cluster),
            () if set.meets(&self.same_socket[place.socket]) => Some(Tier::Socket),
            () if set.is_empty() => None,
            () => Some(Tier::Machine),
        }
    }

    /// The farthest of a set; none of an empty one.
    pub fn farthest(&self, cpu: usize, set: &CpuSet) -> Option<Tier> {
        let place = self.places[cpu];
        match () {
            () if set.is_empty() => None,
            () if !set.without(&self.same_socket[place.socket]).is_empty() => Some(Tier::Machine),
            () if !set.without(&self.same_cluster[place.cluster]).is_empty() => Some(Tier::Socket),
            () if !set.without(&self.same_core[place.core]).is_empty() => Some(Tier::Cluster),
            () => Some(Tier::Core),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_sockets() -> Topology {
        Topology::new(Shape {
            sockets: 2,
            clusters: 2,
            cores: 2,
            threads: 2,
        })
    }

    /// Cores come in whole clusters: 505 CPUs of 24 to a socket are 528, which were inserted beyond
    /// the set's end.
    #[test]
    fn a_shape_that_rounds_up_beyond_the_most_cpus_has_the_most() {
        let cpus = Topology::new(Shape {
            sockets: 1,
            clusters: 22,
            cores: 12,
            threads: 2,
        });
        assert_eq!(cpus.cpus(), CPUS_MAX);
        assert_eq!(cpus.cluster(CPUS_MAX - 1), 20);
    }

    #[test]
    fn tiers_between_cpus() {
        let machine = two_sockets();
        assert_eq!(machine.cpus(), 16);
        assert_eq!(machine.tier(0, 8), Tier::Core);
        assert_eq!(machine.tier(0, 1), Tier::Cluster);
        assert_eq!(machine.tier(0, 2), Tier::Socket);
        assert_eq!(machine.tier(0, 4), Tier::Machine);
        assert_eq!((machine.sibling(0), machine.sibling(9)), (8, 1));
        assert_eq!(Topology::new(Shape::flat(3)).sibling(2), 2);
    }

    #[test]
    fn nearest_and_farthest_of_a_set() {
        let machine = two_sockets();
        let mut set = CpuSet::default();
        assert_eq!(machine.nearest(0, &set), None);
        assert_eq!(machine.farthest(0, &set), None);
        set.insert(4);
        assert_eq!(machine.nearest(0, &set), Some(Tier::Machine));
        set.insert(9);
        assert_eq!(machine.nearest(0, &set), Some(Tier::Cluster));
        assert_eq!(machine.farthest(0, &set), Some(Tier::Machine));
        set.remove(4);
        assert_eq!(machine.farthest(0, &set), Some(Tier::Cluster));
        assert_eq!((set.len(), set.contains(9)), (1, true));
    }
}
