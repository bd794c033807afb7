/**
 * Pairs of errors with a verdict on whether they are one bug, one pair per line in
 * `pairs/<family>.jsonl`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorFacts } from '../../src/modules/error-groups/index.ts'
import { packageRoot } from '../../src/platform/package-root.ts'

export type ErrorPair = { name: string; is_same: boolean; first: ErrorFacts; second: ErrorFacts }

const FAMILIES = [
  'javascript',
  'jvm',
  'python',
  'dotnet',
  'go',
  'apple',
  'dart',
  'php',
  'messages',
] as const

/** By family, in the order of the report. */
export type ErrorPairs = Readonly<Record<string, readonly ErrorPair[]>>

export const readPairs = (): ErrorPairs =>
  Object.fromEntries(FAMILIES.map((family) => [family, readFamily(family)]))

function readFamily(family: string): ErrorPair[] {
  const path = join(packageRoot(), 'eval', 'grouping', 'pairs', `${family}.jsonl`)
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as ErrorPair)
}
