import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hold } from './hold.ts'
import { clear, findDemo, type Note, writeNote } from './place.ts'

const STORY = { seed: 1, end: 1_772_366_400_000, days: 30, scale: 1 }
const FILLING: Note = { format: 1, state: 'filling', story: STORY, told_until: STORY.end }
const PEOPLE = {
  org_id: 'o',
  owner: { email: 'owner@northwind.example', password: 'p' },
  keys: { live_secret: 'a', test_secret: 'b', live_public: 'c', test_public: 'd' },
}
const FILLED: Note = { ...FILLING, state: 'filled', people: PEOPLE }

let parent = ''
let folder = ''
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'vigil-demo-place-'))
  folder = join(parent, 'data-demo')
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

describe('the folder of a demonstration', () => {
  it('is new where there is none, or an empty one', () => {
    expect(findDemo(folder)).toBe('nothing')
    mkdirSync(folder)
    expect(findDemo(folder)).toBe('nothing')
  })

  it('is refused when it holds something else', () => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'thesis.txt'), 'all of it')
    expect(() => findDemo(folder)).toThrow(/holds something else/)
  })

  it.each([['{"format":'], ['{"name": "my demo"}'], ['[]'], ['null'], ['']])(
    'is refused when only a file of somebody else has the name of the note: %j',
    (text) => {
      mkdirSync(folder)
      writeFileSync(join(folder, 'demo.json'), text)
      expect(() => findDemo(folder)).toThrow(/holds something else/)
    },
  )

  it.each([
    ['was cut off', JSON.stringify(FILLING)],
    ['was written by another version', JSON.stringify({ ...FILLED, format: 2 })],
  ])('is unfinished when its note %s', (_what, text) => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'demo.json'), text)
    expect(findDemo(folder)).toBe('unfinished')
  })

  it('is found as it was left, and nobody else can read the password in it', () => {
    writeNote(folder, FILLED)
    expect(findDemo(folder)).toEqual(FILLED)
    expect(statSync(join(folder, 'demo.json')).mode & 0o077).toBe(0)
  })

  it('belongs to one process, also before it serves anything, until that one gives it back', () => {
    const release = hold(folder)
    expect(findDemo(folder)).toBe('nothing')
    expect(() => hold(folder)).toThrow(/runs already: .*data-demo\. Stop/)
    expect(() => hold(folder, 'http://127.0.0.1:1')).toThrow(/at http:\/\/127\.0\.0\.1:1\./)
    release()
    hold(folder)()
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([
    ['has ended', { pid: 2 ** 22 + 1, started: '1' }],
    ['had the number of one that runs', { pid: process.pid, started: '1' }],
    ['left no more than half of its name', 'x'],
  ])('is taken from a process that %s', (_what, holder) => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'demo.lock'), JSON.stringify(holder))
    hold(folder)()
  })

  it('is gone when it was cleared, with nothing left beside it', () => {
    writeNote(folder, FILLED)
    clear(folder)
    expect(readdirSync(parent)).toEqual([])
    clear(folder)
  })
})
