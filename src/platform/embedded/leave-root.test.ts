import { spawn } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { handOver } from './leave-root.ts'

const ACCOUNT = { name: 'vigil', uid: 65_533, gid: 65_532 }
const ownerOf = (path: string): [number, number] => {
  const { uid, gid } = lstatSync(path)
  return [uid, gid]
}

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-hand-over-'))
  const made = folder
  onTestFinished(() => rmSync(made, { recursive: true }))
})

describe.skipIf(process.getuid?.() !== 0)('a data directory that root used', () => {
  it('is handed over with its contents, but not with what links point to', () => {
    const outside = mkdtempSync(join(tmpdir(), 'vigil-outside-'))
    onTestFinished(() => rmSync(outside, { recursive: true }))
    mkdirSync(join(folder, 'postgres', 'base'), { recursive: true })
    writeFileSync(join(folder, 'postgres', 'base', '1'), '')
    writeFileSync(join(folder, 'master.key'), 'k')
    symlinkSync(outside, join(folder, 'postgres', 'link'))
    handOver(folder, ACCOUNT)
    for (const name of ['', 'master.key', 'postgres', 'postgres/base/1', 'postgres/link']) {
      expect(ownerOf(join(folder, name))).toEqual([ACCOUNT.uid, ACCOUNT.gid])
    }
    expect(ownerOf(outside)).toEqual([0, 0])
    expect(readFileSync(join(folder, 'master.key'), 'utf8')).toBe('k')
  })

  it('is completed when an earlier start was interrupted', () => {
    mkdirSync(join(folder, 'postgres'))
    handOver(folder, ACCOUNT)
    writeFileSync(join(folder, 'master.key'), 'k')
    handOver(folder, ACCOUNT)
    expect(ownerOf(join(folder, 'master.key'))).toEqual([ACCOUNT.uid, ACCOUNT.gid])
  })

  it('is refused if it has files of other programs only', () => {
    writeFileSync(join(folder, 'passwords'), '')
    expect(() => handOver(folder, ACCOUNT)).toThrow(
      /contains files of other programs \(passwords\)/,
    )
    expect(ownerOf(folder)).toEqual([0, 0])
  })

  it('is refused while a server of root uses it', () => {
    mkdirSync(join(folder, 'postgres'))
    // Its working directory makes this process pass for the server.
    const server = spawn('sleep', ['60'], { cwd: join(folder, 'postgres'), stdio: 'ignore' })
    onTestFinished(() => void server.kill())
    writeFileSync(join(folder, 'postgres', 'postmaster.pid'), `${server.pid}\n`)
    expect(() => handOver(folder, ACCOUNT)).toThrow(/in use by a Vigil that runs as root/)
    expect(ownerOf(join(folder, 'postgres'))).toEqual([0, 0])
  })
})
