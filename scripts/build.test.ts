import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { build } from './build.js'

let root = ''
let runs: string[] = []
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-build-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  root = folder
  runs = []
  write('src/a.ts', 'a')
  write('src/a.test.ts', 'test')
  write('lock.json', '{}')
  write('pages/index.html', 'page')
})

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

type Work = () => Promise<void> | void

const program = (work: Work = () => undefined) => ({
  name: 'program',
  doing: 'Compiling',
  inputs: ['src', 'lock.json'],
  outputs: ['dist'],
  except: 'dist/sdk',
  run: async () => {
    runs.push('program')
    write('dist/main.js', 'compiled')
    await work()
    write('dist/deep/other.js', 'compiled')
  },
})
const pages = {
  name: 'pages',
  doing: 'Building',
  inputs: ['pages', 'lock.json'],
  outputs: ['build/pages', 'dist/sdk'],
  run: async () => {
    runs.push('pages')
    await Promise.resolve()
    write('build/pages/index.html', 'page')
    write('dist/sdk/index.js', 'sdk')
  },
}

const start = async (work?: Work): Promise<string[]> =>
  await build({ root, stages: [program(work), pages], print: () => undefined })

describe('a second build', () => {
  it('runs nothing when nothing has changed', async () => {
    expect(await start()).toEqual(['program', 'pages'])
    expect(await start()).toEqual([])
    expect(runs).toEqual(['program', 'pages'])
  })

  it.each<[what: string, change: () => void, stages: string[]]>([
    ['a source has changed', () => write('src/a.ts', 'b'), ['program']],
    ['a source is new', () => write('src/deep/b.ts', 'b'), ['program']],
    ['a source was deleted', () => rmSync(join(root, 'src/a.ts')), ['program']],
    ['a page has changed', () => write('pages/index.html', 'other'), ['pages']],
    ['other packages are installed', () => write('lock.json', '[]'), ['program', 'pages']],
    ['an output was deleted', () => rmSync(join(root, 'dist/deep/other.js')), ['program']],
    ['an output was cut off', () => write('dist/main.js', 'comp'), ['program']],
    [
      'all outputs were deleted',
      () => rmSync(join(root, 'dist'), { recursive: true }),
      ['program', 'pages'],
    ],
    ['a stamp is damaged', () => write('build/stamps/pages.json', '{"inp'), ['pages']],
    ['a test has changed', () => write('src/a.test.ts', 'other'), []],
    ['only the time of a source has changed', () => utimesSync(join(root, 'src/a.ts'), 1, 1), []],
  ])('runs the stages concerned when %s', async (_what, change, stages) => {
    await start()
    change()
    expect(await start()).toEqual(stages)
    expect(await start()).toEqual([])
  })
})

describe('a build that did not finish', () => {
  it('because it was killed is repeated, also with the sources of the last complete one', async () => {
    await start()
    write('src/a.ts', 'b')
    const killed = new Promise<void>((resolve) => {
      // Never continues, as a killed process.
      void start(async () => {
        resolve()
        await new Promise(() => undefined)
      })
    })
    await killed
    write('src/a.ts', 'a')
    expect(await start()).toEqual(['program'])
    expect(await start()).toEqual([])
  })

  it('because a stage failed is repeated, and later stages have not run', async () => {
    const failing = start(() => {
      throw new Error('no space left')
    })
    await expect(failing).rejects.toThrow('no space left')
    expect(runs).toEqual(['program'])
    expect(await start()).toEqual(['program', 'pages'])
  })

  it('because a source changed during it is repeated', async () => {
    await start(() => write('src/a.ts', 'edited later'))
    expect(await start()).toEqual(['program'])
  })
})
