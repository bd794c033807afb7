import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kill, processesOf } from '../../../test/e2e/processes.ts'
import { callWatchdog, holdPipe, INHERITED_FD, spawnWatched, stopMark } from './watchdog.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-watchdog-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const pipeOf = (): string => join(folder, 'users')
const logOf = (): string => join(folder, 'log')

/** A fake server that reports that it runs and exits with status 7 on SIGINT. */
const SERVER = `process.on('SIGINT', () => process.exit(7))
console.log('running')
setInterval(() => {}, 1000)`

const watch = (command: string[], inherited?: number) =>
  spawnWatched(command, {
    name: 'PostgreSQL',
    account: undefined,
    for_server: { pipe: pipeOf(), log: logOf() },
    inherited,
  })

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const untilLogged = async (text: string): Promise<void> =>
  await until(() => existsSync(logOf()) && readFileSync(logOf(), 'utf8').includes(text))

const hasSettled = async (work: Promise<unknown>): Promise<boolean> =>
  await Promise.race([
    work.then(() => true),
    new Promise<false>((resolve) => setTimeout(resolve, 150, false)),
  ])

describe('the watchdog', () => {
  it('stops the server when its last user releases it, and not before', async () => {
    const first = holdPipe(pipeOf(), undefined)
    const second = holdPipe(pipeOf(), undefined)
    const { ended } = watch([process.execPath, '-e', SERVER])
    await untilLogged('running')
    closeSync(first)
    expect(await hasSettled(ended)).toBe(false)
    closeSync(second)
    expect(await ended).toBe(7)
  })

  it('stops the server if its user ended before it was up', async () => {
    for (let round = 0; round < 5; round += 1) {
      closeSync(holdPipe(pipeOf(), undefined))
      const { ended } = watch([process.execPath, '-e', SERVER])
      // Status 7, or the signal if it came before the handler was installed.
      expect([7, 130]).toContain(await ended)
    }
  })

  it.skipIf(process.platform !== 'linux')(
    'keeps the server for a user that comes between its two checks and calls',
    async () => {
      const first = holdPipe(pipeOf(), undefined)
      const { ended } = watch([process.execPath, '-e', `console.log('pid', process.pid);${SERVER}`])
      await untilLogged('running')
      const pid = Number(/pid (\d+)/.exec(readFileSync(logOf(), 'utf8'))?.[1])
      const mark = stopMark(pipeOf(), pid)
      const shells = processesOf(folder).filter(({ name }) => name === 'sh')
      const checking = shells.find(({ ppid }) => shells.some((shell) => shell.pid === ppid))
      kill(checking?.pid, 'SIGSTOP')
      closeSync(first)
      await until(() => processesOf(folder).every(({ name }) => name !== 'cat'))
      const second = holdPipe(pipeOf(), undefined)
      kill(checking?.pid, 'SIGCONT')

      await until(() => existsSync(mark))
      expect(await hasSettled(ended)).toBe(false)
      callWatchdog(second)
      await until(() => !existsSync(mark))
      expect(await hasSettled(ended)).toBe(false)
      closeSync(second)
      expect(await ended).toBe(7)
      expect(existsSync(mark)).toBe(false)
    },
  )

  it('stops the server even if its folder was deleted', async () => {
    const pipe = holdPipe(pipeOf(), undefined)
    const { ended } = watch([process.execPath, '-e', SERVER])
    await untilLogged('running')
    rmSync(folder, { recursive: true })
    closeSync(pipe)
    expect(await ended).toBe(7)
  })

  it('ends with the status of the server even while there are users', async () => {
    const pipe = holdPipe(pipeOf(), undefined)
    expect(await watch([process.execPath, '-e', 'process.exit(3)']).ended).toBe(3)
    closeSync(pipe)
  })

  it('appends the output of the server to the log', async () => {
    const pipe = holdPipe(pipeOf(), undefined)
    writeFileSync(logOf(), 'before\n')
    await watch([process.execPath, '-e', 'console.log("out"); console.error("err")']).ended
    expect(readFileSync(logOf(), 'utf8').split('\n').toSorted()).toEqual([
      '',
      'before',
      'err',
      'out',
    ])
    closeSync(pipe)
  })

  it('passes a folder on under a fixed file descriptor', async () => {
    const pipe = holdPipe(pipeOf(), undefined)
    const inherited = openSync(folder, 'r')
    const program = `require('node:fs').fstatSync(${INHERITED_FD}).isDirectory() || process.exit(4)`
    expect(await watch([process.execPath, '-e', program], inherited).ended).toBe(0)
    closeSync(inherited)
    closeSync(pipe)
  })

  it('reports that it cannot be run', () => {
    expect(() => watch(['true', 'longer than any argument may be '.repeat(10_000)])).toThrow(
      'PostgreSQL could not be run: spawn E2BIG',
    )
  })
})

describe('the pipe', () => {
  it('replaces an ordinary file from a backup', () => {
    writeFileSync(pipeOf(), 'not a pipe')
    closeSync(holdPipe(pipeOf(), undefined))
    expect(statSync(pipeOf()).isFIFO()).toBe(true)
    expect(statSync(pipeOf()).mode & 0o777).toBe(0o600)
  })
})
