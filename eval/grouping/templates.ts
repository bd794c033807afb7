/** Scores message templates on labeled files: the lines of one true template belong in one group. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageTemplate } from '../../src/modules/error-groups/index.ts'
import { readCsv } from './csv.ts'
import { type GroupScore, scoreGroups } from './metrics.ts'

export type Line = { content: string; event: string; template: string }

export type Miss = {
  template: string
  lines: number
  predicted: { template: string; lines: number }[]
}

export type FileScore = GroupScore & { file: string; lines: number; misses: Miss[] }

/**
 * Scores the files of a folder that have the three columns; undefined when there is no such folder or
 * file.
 */
export function scoreFolder(folder: string): FileScore[] | undefined {
  const files = listFiles(folder)
  const scores = files.flatMap((file) => {
    const lines = readLines(join(folder, file))
    return lines.length === 0 ? [] : [scoreLines(file.slice(0, -4), lines)]
  })
  return scores.length === 0 ? undefined : scores
}

export function scoreLines(file: string, lines: readonly Line[]): FileScore {
  const predicted = lines.map(({ content }) => messageTemplate(content))
  const truth = lines.map(({ event }) => event)
  const score = scoreGroups(predicted, truth)
  return { file, lines: lines.length, ...score, misses: missesOf(lines, predicted) }
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.csv'))
      .toSorted()
  } catch {
    return []
  }
}

const readLines = (path: string): Line[] =>
  readCsv(readFileSync(path, 'utf8')).flatMap((row) => {
    const { Content: content, EventId: event, EventTemplate: template } = row
    return content === undefined || event === undefined || template === undefined
      ? []
      : [{ content, event, template }]
  })

/** True templates whose lines are not exactly one predicted group, the largest first. */
function missesOf(lines: readonly Line[], predicted: readonly string[]): Miss[] {
  const sizes = countBy(predicted)
  const byEvent = new Map<string, number[]>()
  for (const [index, { event }] of lines.entries()) {
    const indexes = byEvent.get(event) ?? []
    indexes.push(index)
    byEvent.set(event, indexes)
  }
  return [...byEvent.values()]
    .flatMap((indexes) => {
      const groups = countBy(indexes.map((index) => predicted[index] ?? ''))
      const [only] = groups
      if (groups.size === 1 && only !== undefined && sizes.get(only[0]) === only[1]) return []
      return {
        template: lines[indexes[0] ?? 0]?.template ?? '',
        lines: indexes.length,
        predicted: [...groups].map(([template, count]) => ({ template, lines: count })),
      }
    })
    .toSorted((a, b) => b.lines - a.lines)
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
