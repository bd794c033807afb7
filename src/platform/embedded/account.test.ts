import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { canReach, findAccount, isOpenTo, ownAccount, serverAccount } from './account.ts'

const ACCOUNTS = `root:x:0:0:root:/root:/bin/bash
toor:x:0:0::/root:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
broken
postgres:x:101:104:PostgreSQL administrator:/var/lib/postgresql:/bin/bash
`

describe('the account of the server', () => {
  it('is the one of that name', () => {
    expect(findAccount(ACCOUNTS, 'postgres')).toEqual({ name: 'postgres', uid: 101, gid: 104 })
  })

  it('is never root under another name or a malformed line', () => {
    for (const name of ['toor', 'root', 'broken', 'vigil', '']) {
      expect(findAccount(ACCOUNTS, name)).toBeUndefined()
    }
    expect(findAccount('', 'postgres')).toBeUndefined()
  })

  it('is created when it is missing, and never shared with another service', () => {
    let accounts = ACCOUNTS
    const create = () => {
      accounts += 'vigil:x:990:990::/nonexistent:/usr/sbin/nologin\n'
    }
    const read = () => accounts
    expect(ownAccount({ read, create })).toEqual({ name: 'vigil', uid: 990, gid: 990 })
  })

  it('is refused with advice where no account can be created', () => {
    const create = () => {
      throw new Error('spawnSync useradd ENOENT')
    }
    expect(() => ownAccount({ read: () => ACCOUNTS, create })).toThrow(
      /does not run as root.*\(spawnSync useradd ENOENT\)\. Start Vigil as another user, or create/,
    )
  })

  it.skipIf(process.getuid?.() === 0)('is undefined if the program does not run as root', () => {
    expect(serverAccount(tmpdir())).toBeUndefined()
  })

  it.skipIf(process.getuid?.() !== 0)('is called vigil if the program runs as root', () => {
    expect(serverAccount('/no/such/folder')?.name).toBe('vigil')
  })
})

describe('access to a folder', () => {
  const account = { name: 'vigil', uid: 900, gid: 901 }

  it.each([
    ['granted to the owner', { mode: 0o100, uid: 900, gid: 0 }, true],
    ['denied to the owner even if others have it', { mode: 0o677, uid: 900, gid: 901 }, false],
    ['granted to the group', { mode: 0o010, uid: 0, gid: 901 }, true],
    ['denied to the group', { mode: 0o701, uid: 0, gid: 901 }, false],
    ['granted to others', { mode: 0o001, uid: 0, gid: 0 }, true],
    ['denied to others', { mode: 0o776, uid: 0, gid: 0 }, false],
  ])('is %s', (_who, facts, expected) => {
    expect(isOpenTo(account, facts)).toBe(expected)
  })

  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
  })

  it('is denied if a folder on the path is closed', () => {
    const top = mkdtempSync(join(tmpdir(), 'vigil-reach-'))
    folders.push(top)
    const below = join(top, 'open', 'deeper')
    mkdirSync(below, { recursive: true })
    chmodSync(top, 0o711)
    expect(canReach(account, below)).toBe(true)
    chmodSync(top, 0o700)
    expect(canReach(account, below)).toBe(false)
    expect(canReach(undefined, below)).toBe(true)
  })
})
