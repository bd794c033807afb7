import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { canReach, findAccount, isOpenTo, serverAccount } from './account.ts'

const ACCOUNTS = `root:x:0:0:root:/root:/bin/bash
toor:x:0:0::/root:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
broken
postgres:x:101:104:PostgreSQL administrator:/var/lib/postgresql:/bin/bash
`

describe('the account of the server', () => {
  it('is the first of the wanted ones that exists', () => {
    expect(findAccount(ACCOUNTS, ['vigil', 'postgres', 'nobody'])).toEqual({
      name: 'postgres',
      uid: 101,
      gid: 104,
    })
  })

  it('is never root under another name, nor a line that is not one', () => {
    expect(findAccount(ACCOUNTS, ['toor', 'root', 'broken', 'vigil', ''])).toBeUndefined()
    expect(findAccount('', ['postgres'])).toBeUndefined()
  })

  it.skipIf(process.getuid?.() === 0)('is nobody else when the program is not root', () => {
    expect(serverAccount(tmpdir())).toBeUndefined()
  })

  it.skipIf(process.getuid?.() !== 0)('has no privileges when the program is root', () => {
    expect(serverAccount('/no/such/folder')?.uid).toBeGreaterThan(0)
  })
})

describe('what an account can enter', () => {
  const account = { name: 'vigil', uid: 900, gid: 901 }

  it.each([
    ['its own', { mode: 0o100, uid: 900, gid: 0 }, true],
    ['its own without the bit, whatever others may', { mode: 0o677, uid: 900, gid: 901 }, false],
    ['its group', { mode: 0o010, uid: 0, gid: 901 }, true],
    ['its group without the bit', { mode: 0o701, uid: 0, gid: 901 }, false],
    ['that of others', { mode: 0o001, uid: 0, gid: 0 }, true],
    ['that of others without the bit', { mode: 0o776, uid: 0, gid: 0 }, false],
  ])('%s', (_whose, facts, expected) => {
    expect(isOpenTo(account, facts)).toBe(expected)
  })

  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
  })

  it('ends at the first folder on the way that is closed', () => {
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
