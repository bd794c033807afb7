import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { EXIT } from './child-options.ts'
import { adviceFor, failureOf } from './failure.ts'

const place = { directory: '/data/clickhouse' }

function judged(status: number | undefined, said: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-failure-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const log = join(folder, 'log')
  writeFileSync(log, `FATAL: of an earlier start\n${said}`)
  return adviceFor(failureOf(status, log, 'FATAL: of an earlier start\n'.length), place)
}

it.each([
  [
    'a directory in use names the process and its file',
    EXIT.not_opened,
    'Code: 76. DB::Exception: Cannot lock file x. (CANNOT_OPEN_FILE)\nFATAL: Failed\n',
    /^The directory \/data\/clickhouse .* in use .*\/data\/clickhouse\/status/,
  ],
  [
    'a missing package names CLICKHOUSE_URL',
    EXIT.no_package,
    "FATAL: Cannot find package 'chdb'\n",
    /package chdb.*It says: Cannot find package 'chdb'.*CLICKHOUSE_URL/,
  ],
  [
    'damaged files name the folder and what becomes of what waits',
    EXIT.not_opened,
    'Code: 62. DB::Exception: Syntax error (in file metadata/x.sql)\nFATAL: Failed\n',
    /cannot open \/data\/clickhouse: .*Syntax error.*move that folder away.*kept in PostgreSQL/,
  ],
  ['a crash tells its status', 139, '', /cannot open \/data\/clickhouse: it ended with status 139/],
])('%s', (_what, status, said, advice) => {
  const text = judged(status, said)
  expect(text).toMatch(advice)
  expect(text).not.toContain('earlier')
})
