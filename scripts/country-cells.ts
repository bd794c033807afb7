/**
 * Writes src/modules/orders/country-cells.ts, the cells of one degree that each country reaches, from
 * the outlines of Natural Earth in world-atlas: `node dist/scripts/country-cells.js`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import countries from 'i18n-iso-countries'

type Point = readonly [longitude: number, latitude: number]
type Ring = readonly Point[]
type Topology = {
  transform: { scale: [number, number]; translate: [number, number] }
  arcs: [number, number][][]
  objects: { countries: { geometries: Geometry[] } }
}
type Geometry = {
  id?: string
  type: string
  arcs: number[][] | number[][][]
  properties: { name: string }
}

const CELL_DEGREES = 1
/** Narrow parts of a country lie between points that are further apart. */
const SAMPLE_DEGREES = 0.25
const ROWS = 180 / CELL_DEGREES
const COLUMNS = 360 / CELL_DEGREES

const atlas = JSON.parse(
  readFileSync('node_modules/world-atlas/countries-50m.json', 'utf8'),
) as Topology

const arcs = atlas.arcs.map((arc) => {
  const { scale, translate } = atlas.transform
  let [x, y] = [0, 0]
  return arc.map(([dx, dy]): Point => {
    x += dx
    y += dy
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]]
  })
})

const ringOf = (indexes: readonly number[]): Ring =>
  indexes.flatMap((index) => (index >= 0 ? (arcs[index] ?? []) : (arcs[~index] ?? []).toReversed()))

/** Outer rings only: a hole in a country is smaller than the tolerance. */
function outlinesOf({ type, arcs: parts }: Geometry): Ring[] {
  const polygons = (type === 'Polygon' ? [parts] : parts) as number[][][]
  return polygons.map(([outer = []]) => ringOf(outer))
}

const cellAt = ([longitude, latitude]: Point): number => {
  const row = Math.min(ROWS - 1, Math.floor((latitude + 90) / CELL_DEGREES))
  const column = Math.min(COLUMNS - 1, Math.floor((longitude + 180) / CELL_DEGREES))
  return row * COLUMNS + column
}

function cellsOf(geometry: Geometry): Set<number> {
  const cells = new Set<number>()
  for (const ring of outlinesOf(geometry)) {
    for (const point of ring) cells.add(cellAt(point))
    const latitudes = ring.map(([, latitude]) => latitude)
    for (let y = Math.min(...latitudes); y < Math.max(...latitudes); y += SAMPLE_DEGREES) {
      const crossings = crossingsOf(ring, y)
      for (let i = 0; i + 1 < crossings.length; i += 2) {
        for (let x = crossings[i] ?? 0; x < (crossings[i + 1] ?? 0); x += SAMPLE_DEGREES) {
          cells.add(cellAt([x, y]))
        }
      }
    }
  }
  return cells
}

function crossingsOf(ring: Ring, latitude: number): number[] {
  const crossings: number[] = []
  ring.forEach(([x, y], index) => {
    const [nextX, nextY] = ring[(index + 1) % ring.length] ?? [x, y]
    if (y <= latitude === nextY <= latitude) return
    crossings.push(x + ((latitude - y) / (nextY - y)) * (nextX - x))
  })
  return crossings.toSorted((a, b) => a - b)
}

/** `row:first-last` for each run of cells. */
function runsOf(cells: ReadonlySet<number>): string {
  const runs: string[] = []
  let first = -1
  for (let cell = 0; cell <= ROWS * COLUMNS; cell += 1) {
    const isRunning = first >= 0 && (!cells.has(cell) || cell % COLUMNS === 0)
    if (isRunning) {
      const row = Math.floor(first / COLUMNS)
      runs.push(`${row}:${first % COLUMNS}-${cell - 1 - row * COLUMNS}`)
      first = -1
    }
    if (first < 0 && cells.has(cell)) first = cell
  }
  return runs.join(' ')
}

/** Orders from a territory may name the state that it belongs to, or that claims it. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  CN: ['HK', 'MO', 'TW'],
  CY: ['N. Cyprus'],
  DK: ['FO', 'GL'],
  FR: ['BL', 'MF', 'NC', 'PF', 'PM', 'WF'],
  GB: ['AI', 'BM', 'FK', 'GI', 'KY', 'MS', 'SH', 'TC', 'VG'],
  MA: ['EH'],
  NL: ['AW', 'CW', 'SX'],
  RS: ['Kosovo'],
  SO: ['Somaliland'],
  US: ['AS', 'GU', 'MP', 'PR', 'VI'],
}

const cellsByName = new Map<string, Set<number>>()
for (const geometry of atlas.objects.countries.geometries) {
  const code = geometry.id === undefined ? undefined : countries.numericToAlpha2(geometry.id)
  const name = code ?? geometry.properties.name
  cellsByName.set(name, new Set([...(cellsByName.get(name) ?? []), ...cellsOf(geometry)]))
}
const lines = new Map<string, string>()
for (const [code, cells] of cellsByName) {
  if (code.length !== 2) continue
  const others = (ALSO[code] ?? []).flatMap((name) => [...(cellsByName.get(name) ?? [])])
  lines.set(code, runsOf(new Set([...cells, ...others])))
}

writeFileSync(
  'src/modules/orders/country-cells.ts',
  `/**
 * The cells of one degree that each country reaches, as \`row:first-last\` from the south pole and
 * the date line. Written by scripts/country-cells.ts from the outlines of Natural Earth (public
 * domain); overseas territories are part of their country where Natural Earth has them so.
 */
export const COUNTRY_CELLS: Readonly<Record<string, string>> = {
${[...lines]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([code, runs]) => `  ${code}: '${runs}',`)
  .join('\n')}
}
`,
)
