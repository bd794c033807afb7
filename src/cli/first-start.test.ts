import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { fileLines, findCredentials, firstStartLines, writeCredentials } from './first-start.ts'

const FIRST = {
  org_id: 'org',
  email: 'owner@vigil.local',
  password: 'correct horse',
  keys: { live_secret: 'sk_live_1', test_secret: 'sk_test_1', live_public: 'p', test_public: 'q' },
}

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-first-'))
  const made = folder
  onTestFinished(() => rmSync(made, { recursive: true }))
})

describe('the credentials of the first start', () => {
  it('are in a file that only its owner can read, until it is deleted', () => {
    writeCredentials(folder, FIRST)
    const path = findCredentials(folder) ?? ''
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(FIRST)
    rmSync(path)
    expect(findCredentials(folder)).toBeUndefined()
  })

  it('replace those of a first start that was interrupted, also where others could read them', () => {
    writeFileSync(join(folder, 'first-start.json'), '{', { mode: 0o644 })
    writeCredentials(folder, FIRST)
    const path = findCredentials(folder) ?? ''
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(FIRST)
  })

  it('cannot be lost: without the file, nothing is created', () => {
    expect(() => writeCredentials(join(folder, 'missing'), FIRST)).toThrow(
      /^The credentials of the first start cannot be written to .*missing/,
    )
  })

  it('are shown completely on a terminal, and by name of their file otherwise', () => {
    const shown = firstStartLines(FIRST, 'http://127.0.0.1:8080/v1').join('\n')
    for (const secret of [FIRST.password, ...Object.values(FIRST.keys)]) {
      expect(shown).toContain(secret)
    }
    expect(fileLines('/data/first-start.json').join('\n')).toContain('/data/first-start.json')
  })
})
