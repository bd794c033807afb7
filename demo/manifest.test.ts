import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockFolder } from './lock.ts'
import { clearFolder, FORMAT, findDemo, type Manifest, writeManifest } from './manifest.ts'

const STORY = { seed: 1, end: 1_772_366_400_000, days: 30, scale: 1 }
const FILLING: Manifest = { format: FORMAT, state: 'filling', story: STORY, told_until: STORY.end }
const PEOPLE = {
  org_id: 'o',
  owner: { email: 'owner@northwind.example', password: 'p' },
  keys: { live_secret: 'a', test_secret: 'b', live_public: 'c', test_public: 'd' },
}
const FILLED: Manifest = { ...FILLING, state: 'filled', people: PEOPLE }

let parent = ''
let folder = ''
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'vigil-demo-'))
  folder = join(parent, 'data-demo')
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

describe('the folder of a demo', () => {
  it('is new where there is none, or an empty one', () => {
    expect(findDemo(folder)).toBe('nothing')
    mkdirSync(folder)
    expect(findDemo(folder)).toBe('nothing')
  })

  it('is refused when it has other contents', () => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'thesis.txt'), 'all of it')
    expect(() => findDemo(folder)).toThrow(/has contents other than a demo/)
  })

  it.each([['{"format":'], ['{"name": "my demo"}'], ['[]'], ['null'], ['']])(
    'is refused when only a file of another program has the name of the manifest: %j',
    (text) => {
      mkdirSync(folder)
      writeFileSync(join(folder, 'demo.json'), text)
      expect(() => findDemo(folder)).toThrow(/has contents other than a demo/)
    },
  )

  it.each([
    ['was interrupted', JSON.stringify(FILLING)],
    ['was written by another version', JSON.stringify({ ...FILLED, format: FORMAT + 1 })],
  ])('is unfinished when its manifest %s', (_what, text) => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'demo.json'), text)
    expect(findDemo(folder)).toBe('unfinished')
  })

  it('is found unchanged, and no other user can read the password in it', () => {
    writeManifest(folder, FILLED)
    expect(findDemo(folder)).toEqual(FILLED)
    expect(statSync(join(folder, 'demo.json')).mode & 0o077).toBe(0)
  })

  it('belongs to one process, also before it serves anything, until that process releases it', () => {
    const release = lockFolder(folder)
    expect(findDemo(folder)).toBe('nothing')
    expect(() => lockFolder(folder)).toThrow(/is already running: .*data-demo\. Stop/)
    expect(() => lockFolder(folder, 'http://127.0.0.1:1')).toThrow(/at http:\/\/127\.0\.0\.1:1\./)
    release()
    lockFolder(folder)()
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([
    ['has ended', { pid: 2 ** 22 + 1, started: '1' }],
    ['had the id of one that is running', { pid: process.pid, started: '1' }],
    ['left an incomplete lock file', 'x'],
  ])('is taken from a process that %s', (_what, holder) => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'demo.lock'), JSON.stringify(holder))
    lockFolder(folder)()
  })

  it('is gone after it was cleared, with nothing left next to it', () => {
    writeManifest(folder, FILLED)
    clearFolder(folder)
    expect(readdirSync(parent)).toEqual([])
    clearFolder(folder)
  })
})
