/**
 * Evaluates error grouping: message templates on labeled log files, which are not shipped, and
 * fingerprints on pairs of errors, which are.
 */
import { resolve } from 'node:path'
import { readPairs } from './labeled-pairs.ts'
import { type FileScore, scoreFolder } from './templates.ts'
import { type PairScore, scorePairs } from './verdicts.ts'

export type GroupingEvaluation = {
  files: FileScore[]
  mean: { ga: number; fga: number; pair_f1: number }
  pairs: PairScore
}

type Options = {
  data: string | undefined
  onProgress: (step: string) => void
}

const DEFAULT_FOLDER = '../shared/data/loghub'

/** Without labeled files only the pairs are scored, and the exit code is 2. */
export function evaluateGrouping({ data, onProgress }: Options): GroupingEvaluation {
  const folder = resolve(data ?? DEFAULT_FOLDER)
  const files = scoreFolder(folder)
  if (files === undefined) {
    onProgress(
      `No labeled files in ${folder}. Templates are scored on *.csv files with the columns Content, EventId and EventTemplate, ` +
        'such as the structured files of Loghub-2k. Set their folder with --data.',
    )
    process.exitCode = 2
  }
  return summarize(files ?? [])
}

function summarize(files: FileScore[]): GroupingEvaluation {
  const mean = (pick: (file: FileScore) => number): number =>
    files.reduce((sum, file) => sum + pick(file), 0) / files.length
  return {
    files,
    mean: {
      ga: mean(({ ga }) => ga),
      fga: mean(({ fga }) => fga),
      pair_f1: mean(({ pair_f1 }) => pair_f1),
    },
    pairs: scorePairs(readPairs()),
  }
}
