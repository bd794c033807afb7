/** The counts of `.ci/run`, with a fake npm that prints the results of suites. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageRoot } from '../src/platform/package-root.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-ci-'))
  mkdirSync(join(folder, 'bin'))
  cpSync(join(packageRoot(), '.ci'), join(folder, '.ci'), { recursive: true })
  // Present, so that the script does not install it.
  for (const program of ['redis-server', 'pgbouncer']) {
    writeFileSync(join(folder, 'bin', program), '', { mode: 0o755 })
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

const TESTS_LINE = '\u001B[2m      Tests \u001B[22m \u001B[1m\u001B[32m10 passed\u001B[39m (10)'
const SUITES = [
  'test',
  'test:cells',
  'test:browser',
  'test:console',
  'test:e2e',
  'test:package',
  'test:crash',
  'test:sdk-python',
  'test:sdk-kotlin',
]

/** @param suites shell commands by the npm script that they replace; the other scripts pass 10 tests */
function run(suites: Record<string, string> = {}) {
  const cases = Object.entries(suites).map(([script, shell]) => `*" ${script} "*) ${shell};;`)
  const npm = [
    '#!/usr/bin/env bash',
    `echo "npm $* rounds=\${E2E_ROUNDS:-}" >>'${join(folder, 'calls')}'`,
    'case " $* " in',
    ...cases,
    '*" ci "* | *" build "* | *" check "* | *" gate "*) echo done;;',
    `*) printf '%s\\n' '${TESTS_LINE}';;`,
    'esac',
  ]
  writeFileSync(join(folder, 'calls'), '')
  writeFileSync(join(folder, 'bin', 'npm'), npm.join('\n'), { mode: 0o755 })
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` }
  const { status, stdout } = spawnSync('bash', [join(folder, '.ci', 'run')], { env })
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
  const lines = stdout.toString().trim().split('\n')
  return { status, last: lines.at(-1), lines, calls }
}

describe('.ci/run', () => {
  it('installs, builds once and counts the tests of every suite', () => {
    const { status, last, calls } = run()
    expect({ status, last }).toEqual({ status: 0, last: '90 passed, 0 failed' })
    const words = calls.map((call) => call.split(' '))
    expect(words.filter((call) => call.includes('ci'))).toHaveLength(1)
    expect(words.filter((call) => call.includes('build'))).toHaveLength(1)
    expect(words.filter((call) => call.includes('check'))).toHaveLength(1)
    expect(words.filter((call) => call.includes('gate'))).toHaveLength(1)
    const suites = words.filter(
      (call) => call.includes('--ignore-scripts') && !call.includes('gate'),
    )
    expect(suites).toHaveLength(SUITES.length)
    for (const name of SUITES) expect(suites.some((call) => call.includes(name))).toBe(true)
    expect(calls.find((call) => call.includes('test:crash'))).toContain('rounds=2')
  })

  it('does not repeat a suite that was stopped because it took too long', () => {
    const { status, last, calls } = run({ test: 'exit 124' })
    expect({ status, last }).toEqual({ status: 1, last: '80 passed, 1 failed' })
    expect(calls.filter((call) => call.startsWith('npm test '))).toHaveLength(1)
  })

  it.each([
    ['tests fail', 'echo "      Tests  2 failed | 8 passed (10)"; exit 1', 88, 2],
    ['a suite fails without a failed test', `printf '%s\\n' '${TESTS_LINE}'; exit 1`, 90, 1],
    ['a suite crashes before it prints its counts', 'echo "Segmentation fault"; exit 139', 80, 1],
    ['a suite exits with 0 without printing counts', 'exit 0', 80, 1],
  ])('fails when %s, after the other suites', (_, shell, passed, failed) => {
    expect(run({ 'test:console': shell })).toMatchObject({
      status: 1,
      last: `${passed} passed, ${failed} failed`,
    })
  })

  it('runs a suite that crashed again, and shows how it ended', () => {
    const mark = join(folder, 'crashed')
    const crash = `[ -e '${mark}' ] || { touch '${mark}'; echo 'Segmentation fault'; exit 139; }`
    const { status, lines } = run({ 'test:e2e': `${crash}; printf '%s\\n' '${TESTS_LINE}'` })
    expect({ status, end: lines.slice(-3) }).toEqual({
      status: 0,
      end: ['== end of e2e, which crashed', 'Segmentation fault', '90 passed, 0 failed'],
    })
  })

  it('fails when types or style are wrong, and still runs the tests', () => {
    expect(run({ check: 'exit 1' })).toMatchObject({ status: 1, last: '90 passed, 1 failed' })
  })

  it('repeats the names of failed tests before the count', () => {
    const failing =
      'echo " FAIL  src/a.test.ts > one"; seq 100; echo "  Tests  1 failed (1)"; exit 1'
    const { lines } = run({ 'test:console': failing, 'test:e2e': failing.replaceAll('one', 'two') })
    expect(lines.slice(-3)).toEqual([
      ' FAIL  src/a.test.ts > one',
      ' FAIL  src/a.test.ts > two',
      '70 passed, 2 failed',
    ])
  })

  it('repeats failed tests once, except those that kill processes, and names the flaky ones', () => {
    const flaky = `echo " FLAKY  src/a.test.ts > one: reason"; printf '%s\\n' '${TESTS_LINE}'`
    const { last, lines, calls } = run({ test: flaky })
    expect(lines.slice(-2)).toEqual([' FLAKY  src/a.test.ts > one: reason', last])
    const repeated = calls.filter((call) => call.includes('--retry=1'))
    expect(repeated).toHaveLength(5)
    expect(repeated.join()).not.toContain('test:crash')
  })

  it.each(['ci', 'build'])('stops when npm %s fails', (script) => {
    const { status, last, calls } = run({ [script]: 'exit 1' })
    expect({ status, last }).toEqual({ status: 1, last: '0 passed, 1 failed' })
    expect(calls.join('\n')).not.toContain('test')
  })

  it('is executable', () => {
    execFileSync('test', ['-x', join(packageRoot(), '.ci', 'run')])
  })
})
