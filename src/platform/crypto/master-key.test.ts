import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addMasterKey, createKeyFile, dropMasterKeys, readMasterKeys } from './master-key.ts'

const base64Key = () => randomBytes(32).toString('base64')

describe('master keys', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vigil-keys-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const file = () => join(folder, 'data', 'master.key')
  const fromFile = () => readMasterKeys({ data_dir: join(folder, 'data') })

  it('come from the setting, newest first, and leave no file', () => {
    const [newest, older] = [base64Key(), base64Key()]
    const keys = readMasterKeys({ configured: `${newest}, ${older}`, data_dir: folder })
    expect(keys.current.key.toString('base64')).toBe(newest)
    const olderId = readMasterKeys({ configured: older, data_dir: folder }).current.id
    expect(keys.find(olderId)?.key.toString('base64')).toBe(older)
    expect(keys.find('0000000000000000')).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuse a text that is not 32 bytes in base64, without repeating it', () => {
    const bad = [randomBytes(16).toString('base64'), `${base64Key()}x`, 'correct horse', ',', '']
    for (const configured of bad) {
      const read = () => readMasterKeys({ configured, data_dir: folder })
      expect(read).toThrow(/The master key setting (must hold 32 bytes|holds no key)/)
      if (configured.length > 1) expect(read).not.toThrow(configured)
    }
  })

  it('are created once in the data folder when none is configured, readable by the owner only', () => {
    const created = fromFile().current
    expect(created.key).toHaveLength(32)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(fromFile().current).toEqual(created)
    expect(readdirSync(join(folder, 'data'))).toEqual(['master.key'])
  })

  it('are never replaced when the file is damaged', () => {
    fromFile()
    writeFileSync(file(), 'damaged\n')
    expect(fromFile).toThrow('must hold 32 bytes')
    expect(readFileSync(file(), 'utf8')).toBe('damaged\n')
  })

  it('are those of the first process when several create the file together', () => {
    const first = fromFile().current
    createKeyFile(join(folder, 'data'))
    expect(fromFile().current).toEqual(first)
    expect(readdirSync(join(folder, 'data'))).toEqual(['master.key'])
  })

  it('list the new key before the old one during a rotation', () => {
    const running = fromFile()
    const old = running.current
    addMasterKey(join(folder, 'data'))
    expect(running.current.id).not.toBe(old.id)
    expect(running.find(old.id)).toEqual(old)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  it('lose only unused keys after a rotation', () => {
    const keys = fromFile()
    const first = keys.current
    addMasterKey(join(folder, 'data'))
    const second = keys.current
    addMasterKey(join(folder, 'data'))
    const third = keys.current

    dropMasterKeys(join(folder, 'data'), new Set([first.id]))
    expect(keys.current).toEqual(third)
    expect(keys.find(first.id)).toEqual(first)
    expect(keys.find(second.id)).toBeUndefined()

    dropMasterKeys(join(folder, 'data'), new Set())
    expect(keys.current).toEqual(third)
    expect(keys.find(first.id)).toBeUndefined()
  })
})
