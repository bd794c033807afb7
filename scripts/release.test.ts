import { hash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../src/app/version.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { writeRelease } from './release.ts'
import type { Sbom } from './sbom.ts'

const folder = mkdtempSync(join(tmpdir(), 'vigil-release-'))
const target = join(folder, 'release')
let files: string[] = []
/** Packing starts npm once per package, which takes long on a busy machine. */
const RELEASE_MS = 300_000
beforeAll(() => {
  files = writeRelease(packageRoot(), target)
}, RELEASE_MS)
afterAll(() => rmSync(folder, { recursive: true }))

describe('a release', () => {
  it('has the package, the files of the image, the clients, the bill of materials and correct checksums', () => {
    const packed = `vigil-${VERSION}.tgz`
    expect(files.toSorted()).toEqual(
      [
        'SHA256SUMS',
        'image/.dockerignore',
        'image/Dockerfile',
        'image/compose.yaml',
        `image/${packed}`,
        `vigil-${VERSION}.cdx.json`,
        packed,
        `sdk/vigil-browser-${VERSION}.tgz`,
        `sdk/vigil-device-${VERSION}.tgz`,
        `sdk/vigil-edge-agent-${VERSION}.tgz`,
        `sdk/vigil-push-${VERSION}.tgz`,
        `sdk/vigil-push-kotlin-${VERSION}.tar.gz`,
        `sdk/vigil-server-${VERSION}.tgz`,
        `sdk/vigil_client-${VERSION}.tar.gz`,
      ].toSorted(),
    )
    const lines = readFileSync(join(target, 'SHA256SUMS'), 'utf8').trim().split('\n')
    expect(lines).toHaveLength(files.length - 1)
    for (const line of lines) {
      const [sum, path = ''] = line.split('  ')
      const content = readFileSync(join(target, path))
      expect({ path, sum }).toEqual({ path, sum: hash('sha256', content) })
    }
  })

  it('lists bundled packages as required, the engines as optional, and no tools', () => {
    const path = join(target, `vigil-${VERSION}.cdx.json`)
    const sbom = JSON.parse(readFileSync(path, 'utf8')) as Sbom
    expect(sbom.bomFormat).toBe('CycloneDX')
    expect(sbom.metadata.component).toMatchObject({ name: 'vigil', version: VERSION })
    const scopes = new Map(sbom.components.map(({ name, scope }) => [name, scope]))
    expect(scopes.get('fastify')).toBe('required')
    expect(scopes.get('preact')).toBe('required')
    // Installed under the name of the package that it replaces.
    expect(sbom.components.map((each) => each['bom-ref'])).toContain('@preact/compat@18.3.2')
    expect(scopes.get('chdb')).toBe('optional')
    expect(scopes.has('typescript')).toBe(false)
    const refs = new Set(sbom.components.map((component) => component['bom-ref']))
    const named = sbom.dependencies.flatMap(({ dependsOn }) => dependsOn)
    expect(named.filter((ref) => !refs.has(ref))).toEqual([])
  })
})
