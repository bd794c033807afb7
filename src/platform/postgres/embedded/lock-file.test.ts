import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { isAlive, isStopping, removeStaleLocks } from './lock-file.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (pid: number | string, status = 'ready   '): void =>
  writeFileSync(
    join(folder, 'postmaster.pid'),
    `${pid}\n${folder}\n1763600000\n5432\n${folder}\n\n  1 2\n${status}\n`,
  )
const exists = (): boolean => existsSync(join(folder, 'postmaster.pid'))
const NO_PROCESS = 2 ** 22 + 1

describe('the lock file of a server', () => {
  it('shows whether the server is alive', () => {
    expect(isAlive(folder)).toBe(false)
    write(NO_PROCESS)
    expect(isAlive(folder)).toBe(false)
    write(process.pid)
    expect(isAlive(folder)).toBe(true)
  })

  it.each(['', 'text', '0', '-1', '1.5'])('with the PID %j is ignored', (pid) => {
    write(pid)
    expect(isAlive(folder)).toBe(false)
  })

  it('shows whether the server is stopping', () => {
    expect(isStopping(folder)).toBe(false)
    write(process.pid)
    expect(isStopping(folder)).toBe(false)
    write(process.pid, 'stopping')
    expect(isStopping(folder)).toBe(true)
  })
})

describe.skipIf(process.platform !== 'linux')('a lock file that was left behind', () => {
  it('is removed if its PID belongs to a process that is not the server', () => {
    write(process.pid)
    const socket = join(folder, 'socket')
    writeFileSync(`${socket}.lock`, `${process.pid}\n`)
    removeStaleLocks(folder, socket)
    expect(exists()).toBe(false)
    expect(existsSync(`${socket}.lock`)).toBe(false)
  })

  it('is left to PostgreSQL if no process has its PID', () => {
    write(NO_PROCESS)
    removeStaleLocks(folder, join(folder, 'socket'))
    expect(exists()).toBe(true)
  })

  it('is kept if the process has the working directory of the server', () => {
    const server = spawn('sleep', ['60'], { cwd: folder, stdio: 'ignore' })
    onTestFinished(() => void server.kill())
    write(server.pid ?? 0)
    removeStaleLocks(folder, join(folder, 'socket'))
    expect(exists()).toBe(true)
  })
})
