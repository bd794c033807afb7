import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { EXIT } from './child-options.ts'
import { adviceFor, failureOf } from './start-failure.ts'

const place = { directory: '/data/clickhouse' }

function adviceAbout(status: number | undefined, output: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-failure-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const log = join(folder, 'log')
  writeFileSync(log, `FATAL: of an earlier start\n${output}`)
  return adviceFor(failureOf(status, log, 'FATAL: of an earlier start\n'.length), place)
}

it.each([
  [
    'a directory in use names the file with the PID',
    EXIT.not_opened,
    'Code: 76. DB::Exception: Cannot lock file x. (CANNOT_OPEN_FILE)\nFATAL: Failed\n',
    /^The directory \/data\/clickhouse .* in use .*\/data\/clickhouse\/status/,
  ],
  [
    'a missing package names CLICKHOUSE_URL',
    EXIT.no_package,
    "FATAL: Cannot find package 'chdb'\n",
    /package chdb.*It reported: Cannot find package 'chdb'.*CLICKHOUSE_URL/,
  ],
  [
    'damaged files name the folder and say what happens to unsaved data',
    EXIT.not_opened,
    'Code: 62. DB::Exception: Syntax error (in file metadata/x.sql)\nFATAL: Failed\n',
    /cannot open \/data\/clickhouse: .*Syntax error.*move that folder away.*kept in PostgreSQL/,
  ],
  [
    'a crash reports its exit status',
    139,
    '',
    /cannot open \/data\/clickhouse: it ended with status 139/,
  ],
])('%s', (_what, status, output, advice) => {
  const text = adviceAbout(status, output)
  expect(text).toMatch(advice)
  expect(text).not.toContain('earlier')
})
