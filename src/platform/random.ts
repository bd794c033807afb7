/**
 * Seeded random numbers for simulators: xoshiro128** 1.1 (Blackman and Vigna, 2018, public domain).
 * SplitMix32 fills its four words of state from a seed and a name.
 */

export type Random = {
  /** [0, 1), 53 bits */
  uniform: () => number
  between: (low: number, high: number) => number
  /** low to high, both included */
  integer: (low: number, high: number) => number
  chance: (probability: number) => boolean
  normal: (mean: number, deviation: number) => number
  /** A factor around 1: e to the power of Normal(0, deviation). */
  lognormal: (deviation: number) => number
  /** Time until the next event of a Poisson process. */
  exponential: (mean: number) => number
  poisson: (mean: number) => number
  pick: <T>(list: readonly T[]) => T
  /** By weight; weights need not sum to 1. */
  weighted: <T>(list: readonly T[], weight: (item: T) => number) => T
  /** Distinct positions of a list, in random order. */
  sample: (length: number, count: number) => number[]
  /** An independent stream: drawing from one never shifts another. */
  fork: (name: string) => Random
}

export function createRandom(seed: number, name = ''): Random {
  const next = xoshiro128(seed, name)
  // 27 and 26 bits of two draws fill the 53 bits of a double.
  const uniform = () => ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992
  const normal = polarNormal(uniform)
  const integer = (low: number, high: number) => low + Math.floor(uniform() * (high - low + 1))
  return {
    uniform,
    between: (low, high) => low + uniform() * (high - low),
    integer,
    chance: (probability) => uniform() < probability,
    normal: (mean, deviation) => mean + deviation * normal(),
    lognormal: (deviation) => Math.exp(deviation * normal()),
    exponential: (mean) => -mean * Math.log(1 - uniform()),
    poisson: (mean) => poisson(uniform, mean),
    pick: (list) => itemAt(list, integer(0, list.length - 1)),
    weighted: (list, weight) => {
      let left = uniform() * list.reduce((sum, item) => sum + weight(item), 0)
      const found = list.findIndex((item) => (left -= weight(item)) < 0)
      return itemAt(list, found < 0 ? list.length - 1 : found)
    },
    sample: (length, count) => {
      const chosen = new Set<number>()
      while (chosen.size < Math.min(length, count)) chosen.add(integer(0, length - 1))
      return [...chosen]
    },
    fork: (stream) => createRandom(seed, `${name}/${stream}`),
  }
}

function itemAt<T>(list: readonly T[], index: number): T {
  if (index < 0 || index >= list.length) throw new RangeError('nothing to choose from')
  return list[index] as T
}

function xoshiro128(seed: number, name: string): () => number {
  const fill = splitMix32(hash(`${seed}:${name}`))
  let [a, b, c, d] = [fill(), fill(), fill(), fill()]
  return () => {
    const scrambled = Math.imul(rotate(Math.imul(b, 5), 7), 9)
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotate(d, 11)
    return scrambled >>> 0
  }
}

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by))

function splitMix32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return mixed ^ (mixed >>> 15)
  }
}

/** FNV-1a, 32 bits. */
export function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return value >>> 0
}

/** Marsaglia's polar method: each accepted pair gives two normals. */
function polarNormal(uniform: () => number): () => number {
  let spare: number | undefined
  return () => {
    if (spare !== undefined) {
      const value = spare
      spare = undefined
      return value
    }
    for (;;) {
      const x = uniform() * 2 - 1
      const y = uniform() * 2 - 1
      const square = x * x + y * y
      if (square > 0 && square < 1) {
        const factor = Math.sqrt((-2 * Math.log(square)) / square)
        spare = y * factor
        return x * factor
      }
    }
  }
}

/** Knuth's multiplication, in steps of at most 16 so that the product never underflows. */
function poisson(uniform: () => number, mean: number): number {
  let count = 0
  for (let left = mean; left > 0; left -= 16) {
    const limit = Math.exp(-Math.min(left, 16))
    for (let product = uniform(); product > limit; product *= uniform()) count += 1
  }
  return count
}
