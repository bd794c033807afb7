/**
 * The table of docs/operate/rules.md: every number of the order rules, its default from the rules
 * themselves, and what it means from the comment beside it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_ORDER_PARAMETERS } from '../../src/modules/orders/index.ts'
import { renderTable } from './table.ts'

const FOLDERS = ['src/modules/behaviour', 'src/modules/orders/scoring']

export function orderRulesTable(root: string): string {
  const meanings = readMeanings(root)
  const rows = Object.entries(DEFAULT_ORDER_PARAMETERS).flatMap(([section, values]) =>
    Object.entries(values).map(([name, value], index) => {
      // Of sections whose members are the signals, the section itself is explained.
      const own = meanings.get(`${typeOf(section)} ${name}`)
      const meaning = own ?? (index === 0 ? meanings.get(`OrderParameters ${section}`) : '')
      return [index === 0 ? `\`${section}\`` : '', `\`${name}\``, String(value), meaning ?? '']
    }),
  )
  return renderTable(['Section', 'Name', 'Default', 'Meaning'], rows)
}

const typeOf = (section: string): string =>
  `${section.charAt(0).toUpperCase()}${section.slice(1)}Parameters`

const TYPE = /export type (\w+Parameters) = \{\n([\s\S]*?)\n\}/g
const MEMBER = /\/\*\*([\s\S]*?)\*\/|readonly (\w+):/g

/** By type and member; a comment speaks for all members up to the next one, and is shown once. */
function readMeanings(root: string): Map<string, string> {
  const meanings = new Map<string, string>()
  for (const [, type = '', body = ''] of sourceOf(root).matchAll(TYPE)) {
    let comment = ''
    for (const [, text, name] of body.matchAll(MEMBER)) {
      if (text !== undefined) comment = text.replaceAll(/\s*\n\s*\*\s*/g, ' ').trim()
      else {
        meanings.set(`${type} ${name}`, comment)
        comment = ''
      }
    }
  }
  return meanings
}

const sourceOf = (root: string): string =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  ).join('\n')
