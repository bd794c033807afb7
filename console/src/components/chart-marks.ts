/** How series look apart from their color, so that no chart depends on color alone: dashes of lines, and textures of bars. */

const PALETTE = 6

/** CSS variable of the palette. */
export const colorOf = (chosen: string | undefined, index: number): string =>
  chosen ?? `--series-${(index % PALETTE) + 1}`

/** Lengths of dashes and gaps, in pixels. The first series is a whole line. */
export const dashOf = (index: number): number[] => DASHES[index % DASHES.length] ?? []

const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 5]]

/** Side of the square that a texture repeats. */
export const TEXTURE_PX = 8

/** Lines in a texture, from x1, y1 to x2, y2. The first series is filled evenly. */
export const textureOf = (index: number): readonly Stroke[] =>
  TEXTURES[index % TEXTURES.length] ?? []

type Stroke = readonly [x1: number, y1: number, x2: number, y2: number]

const RISING: Stroke[] = [
  [-1, 9, 9, -1],
  [-1, 1, 1, -1],
  [7, 9, 9, 7],
]
const FALLING: Stroke[] = RISING.map(([x1, y1, x2, y2]) => [8 - x1, y1, 8 - x2, y2])
const LEVEL: Stroke[] = [[0, 4, 8, 4]]
const UPRIGHT: Stroke[] = [[4, 0, 4, 8]]

const TEXTURES: readonly (readonly Stroke[])[] = [
  [],
  RISING,
  LEVEL,
  FALLING,
  UPRIGHT,
  [...RISING, ...FALLING],
]
