/** Reads the files of the buffer, which a crash or a power failure can have damaged. */
import { readdirSync, readFileSync } from 'node:fs'

export const SUFFIX = '.ndjson'

/** Returns the names of the files, oldest first. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d{12}-[0-9a-f]+\.ndjson$/.test(name))
    .toSorted()

/**
 * Returns the complete lines. An incomplete last line and lines that are not JSON objects, which a
 * power failure can leave, are ignored. The result depends only on the content, so that a retry has
 * the same bytes.
 */
export function readLines(path: string): { lines: string[]; unreadable: number } {
  const pieces = readFileSync(path, 'utf8').split('\n')
  const incomplete = pieces.pop() === '' ? 0 : 1
  const lines = pieces.filter(isObject)
  return { lines, unreadable: pieces.length - lines.length + incomplete }
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
