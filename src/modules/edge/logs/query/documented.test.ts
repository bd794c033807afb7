import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type EdgeLog, edgeLog } from '../../../../../test/support/edge-logs.ts'
import { packageRoot } from '../../../../platform/package-root.ts'
import { createMatcher } from '../filters.ts'
import { parseQuery } from './parse.ts'

const text = readFileSync(join(packageRoot(), 'docs/logs.md'), 'utf8')
const ROW = /^\| `(.+?)` \| (?:.*) \| `(.+?)` \| `(.+?)` \|$/gm
const rows = [...text.matchAll(ROW)].map(([, q = '', found = '', left = '']) => [q, found, left])

type Cell = Omit<Partial<EdgeLog>, 'data'> & { data?: unknown; timestamp?: string }

/** The page says that this is today. */
const NOW_MS = Date.parse('2026-03-01T12:00:00Z')

/** A message, or members of an entry as JSON. */
function entryOf(cell: string): EdgeLog {
  if (!cell.startsWith('{')) return edgeLog({ org_id: '', message: cell })
  const { data, timestamp, ...fields } = JSON.parse(cell) as Cell
  return edgeLog({
    org_id: '',
    received_at_ms: NOW_MS,
    ...fields,
    timestamp_ms: timestamp === undefined ? NOW_MS : Date.parse(timestamp),
    data: data === undefined ? '' : JSON.stringify(data),
  })
}

describe('the table of the syntax in docs/logs.md', () => {
  it('has a row for each part of the language', () => {
    expect(rows.length).toBeGreaterThan(15)
  })

  it.each(rows)('%s finds %s and does not find %s', (q = '', found = '', left = '') => {
    expect(parseQuery(q)).toMatchObject({ notes: [] })
    const matches = createMatcher({ q })
    expect([matches(entryOf(found)), matches(entryOf(left))]).toEqual([true, false])
  })
})
