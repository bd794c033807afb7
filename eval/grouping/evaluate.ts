/**
 * Evaluation of error grouping: message templates on labelled log files, which are not shipped, and
 * fingerprints on pairs of errors, which are.
 */
import { resolve } from 'node:path'
import { PAIRS } from './pairs.ts'
import { printGrouping } from './report.ts'
import { type FileScore, scoreFolder } from './templates.ts'
import { type PairScore, scorePairs } from './verdicts.ts'

export type GroupingEvaluation = {
  files: FileScore[]
  mean: { ga: number; fga: number; pair_f1: number }
  pairs: PairScore
}

type Options = {
  asJson: boolean
  withMisses: boolean
  data: string | undefined
  tell: (step: string) => void
}

const DEFAULT_FOLDER = '../shared/data/loghub'

/** Without labelled files the pairs are scored alone, and the exit code is 2. */
export function evaluateGrouping({ asJson, withMisses, data, tell }: Options): string {
  const folder = resolve(data ?? DEFAULT_FOLDER)
  const files = scoreFolder(folder)
  if (files === undefined) {
    tell(
      `No labelled files in ${folder}. Templates are scored on *.csv with the columns Content, EventId and EventTemplate, ` +
        'such as the structured files of Loghub-2k; name their folder with --data.',
    )
    process.exitCode = 2
  }
  const result = summarise(files ?? [])
  if (!asJson) return printGrouping(result, withMisses)
  if (withMisses) return JSON.stringify(result)
  return JSON.stringify({
    ...result,
    files: files?.map((file) => ({ ...file, misses: undefined })) ?? [],
  })
}

function summarise(files: FileScore[]): GroupingEvaluation {
  const mean = (pick: (file: FileScore) => number): number =>
    files.reduce((sum, file) => sum + pick(file), 0) / files.length
  return {
    files,
    mean: {
      ga: mean(({ ga }) => ga),
      fga: mean(({ fga }) => fga),
      pair_f1: mean(({ pair_f1 }) => pair_f1),
    },
    pairs: scorePairs(PAIRS),
  }
}
