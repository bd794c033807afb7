/**
 * Keeps the documents true to the code: writes the settings into README.md and .env.example, and the
 * tables of checks, orders, cashier actions, device management, push and order rules from the rules
 * themselves. Run as a program by `npm run docs`; with `--check` it writes nothing and fails when a
 * document is not what it would write.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot } from '../src/platform/package-root.ts'
import { cashierTables } from './docs/cashier-tables.ts'
import { checkTables } from './docs/check-tables.ts'
import { mdmTables } from './docs/mdm-tables.ts'
import { orderRulesTable } from './docs/order-rules.ts'
import { orderTables } from './docs/order-tables.ts'
import { pushTables } from './docs/push-tables.ts'
import { environmentExample, settingsTable } from './docs/settings.ts'

/** `before` is what the file holds, `after` what it should hold. */
export type Document = { file: string; before: string; after: string }

export function renderDocuments(root: string): Document[] {
  return [
    render(root, 'README.md', (text) => replaceBetween(text, 'settings', settingsTable())),
    render(root, '.env.example', environmentExample),
    render(root, 'docs/checks.md', (text) => withTables(text, checkTables())),
    render(root, 'docs/orders.md', (text) => withTables(text, orderTables())),
    render(root, 'docs/cashier.md', (text) => withTables(text, cashierTables())),
    render(root, 'docs/mdm.md', (text) => withTables(text, mdmTables())),
    render(root, 'docs/push.md', (text) => withTables(text, pushTables())),
    render(root, 'docs/operate/rules.md', (text) =>
      replaceBetween(text, 'order rules', orderRulesTable(root)),
    ),
  ]
}

/** Each between the markers of its name. */
const withTables = (text: string, tables: Readonly<Record<string, string>>): string =>
  Object.entries(tables).reduce(
    (result, [name, table]) => replaceBetween(result, name, table),
    text,
  )

/**
 * Replaces what stands between `<!-- name -->` and `<!-- /name -->`.
 * @throws Error when the text lacks the two markers
 */
export function replaceBetween(text: string, name: string, content: string): string {
  const start = `<!-- ${name} -->`
  const end = `<!-- /${name} -->`
  const from = text.indexOf(start)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The markers ${start} and ${end} are missing`)
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`
}

/** One sentence for each document that is out of date. */
export function describeOutdated(documents: readonly Document[]): string[] {
  return documents
    .filter(({ before, after }) => before !== after)
    .map(({ file }) => `${file} is not what the code says. Run npm run docs.`)
}

function render(root: string, file: string, change: (text: string) => string): Document {
  const before = readFileSync(join(root, file), 'utf8')
  return { file, before, after: change(before) }
}

function main(isCheck: boolean): number {
  const root = packageRoot()
  const documents = renderDocuments(root)
  if (isCheck) {
    const faults = describeOutdated(documents)
    for (const fault of faults) process.stderr.write(`${fault}\n`)
    return faults.length === 0 ? 0 : 1
  }
  for (const { file, before, after } of documents) {
    if (before !== after) writeFileSync(join(root, file), after)
  }
  return 0
}

function isProgram(): boolean {
  const program = process.argv[1]
  return program !== undefined && pathToFileURL(program).href === import.meta.url
}

if (isProgram()) process.exitCode = main(process.argv.includes('--check'))
