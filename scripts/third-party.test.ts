import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageRoot } from '../src/platform/package-root.ts'
import { bundleProgram } from './bundle.ts'
import { renderThirdParties, THIRD_PARTY, type ThirdParty, thirdParties } from './third-party.ts'

const folder = mkdtempSync(join(tmpdir(), 'vigil-third-party-'))
let parties: ThirdParty[] = []
beforeAll(() => {
  mkdirSync(join(folder, 'chunks'))
  parties = thirdParties(packageRoot(), bundleProgram(packageRoot(), folder))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** They permit distribution in compiled form under the license of Vigil. */
const PERMITTED = [
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
]

describe('the packages in the build', () => {
  it('have licenses that permit it', () => {
    expect(parties.filter(({ license }) => !PERMITTED.includes(license))).toEqual([])
  })

  it('include those of the program, of the reference and of the console, each once', () => {
    const names = parties.map(({ name }) => name)
    const some = ['fastify', 'hash-wasm', '@fastify/swagger-ui', 'preact', '@tanstack/query-core']
    expect(names).toEqual(expect.arrayContaining(some))
    expect(names).not.toContain('vite')
    expect(names).not.toContain('chdb')
    const versions = parties.map(({ name, version }) => `${name}@${version}`)
    expect(new Set(versions).size).toBe(versions.length)
  })

  it('are listed by the build with the texts of their licenses', () => {
    const written = readFileSync(join(packageRoot(), THIRD_PARTY), 'utf8')
    expect(written).toBe(renderThirdParties(parties))
    for (const { name, version, texts } of parties) {
      expect(written).toContain(`| ${name} | ${version} |`)
      for (const text of texts) expect(written).toContain(text)
    }
  })

  it('without a text name their license and their author', () => {
    const bare = { name: 'a', version: '1.0.0', license: 'MIT', author: 'Ann', texts: [] }
    expect(renderThirdParties([bare])).toContain('names the license MIT and Ann.')
  })
})
