/** Prints the number of confirmed frauds from which learned weights are better than the shipped ones. */
import { type LearnedQuality, ORGANIZATIONS, type Organization } from './evaluate.ts'

export function printLearning(results: readonly LearnedQuality[]): string {
  return ORGANIZATIONS.map((organization) => {
    const rows = results.filter((result) => result.organization === organization)
    return [
      `Learning from decisions, ${NAMES[organization]}`,
      HEAD,
      ...rows.map(lineOf),
      verdict(rows),
    ]
  })
    .flat()
    .join('\n')
}

const NAMES: Readonly<Record<Organization, string>> = {
  cards: 'card transactions',
  shop: 'a shop',
  travelers: 'a shop of travelers',
}

const COLUMNS = [8, 14, 14, 14, 14, 8]
const HEAD = inColumns(['frauds', 'avg precision', 'recall', 'precision', 'flagged', 'better'])

function lineOf({ frauds, shipped, learned, better, seeds }: LearnedQuality): string {
  const pair = (of: (quality: typeof shipped) => number, digits: number) =>
    `${of(shipped).toFixed(digits)} → ${of(learned).toFixed(digits)}`
  return inColumns([
    String(frauds),
    pair(({ average_precision }) => average_precision, 3),
    pair(({ recall }) => recall, 3),
    pair(({ precision }) => precision, 3),
    pair(({ flagged }) => flagged, 0),
    `${better}/${seeds}`,
  ])
}

/** Every larger number has to help as well, in all seeds. */
function verdict(rows: readonly LearnedQuality[]): string {
  const last_bad = rows.findLastIndex(({ better, seeds }) => better < seeds)
  const first = rows[last_bad + 1]
  return first === undefined
    ? 'Learning did not help in all seeds at any of these numbers.\n'
    : `Learning helps in all seeds from ${first.frauds} confirmed frauds on.\n`
}

function inColumns(cells: readonly string[]): string {
  return cells.map((cell, index) => cell.padStart(COLUMNS[index] ?? 0)).join('  ')
}
