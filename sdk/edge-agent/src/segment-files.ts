/** Reading the files of the buffer, whatever a crash or a power cut has left of them. */
import { readdirSync, readFileSync } from 'node:fs'

export const SUFFIX = '.ndjson'

/** Oldest first. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d{12}-[0-9a-f]+\.ndjson$/.test(name))
    .toSorted()

/**
 * The lines that are whole. A torn last one is left out, as is what is not an object of JSON: after a
 * power cut there may be anything. The answer depends on nothing but the content.
 */
export function readLines(path: string): { lines: string[]; unreadable: number } {
  const pieces = readFileSync(path, 'utf8').split('\n')
  const torn = pieces.pop() === '' ? 0 : 1
  const lines = pieces.filter(isObject)
  return { lines, unreadable: pieces.length - lines.length + torn }
}

function isObject(line: string): boolean {
  if (!line.startsWith('{')) return false
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}
