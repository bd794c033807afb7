/** This client against the contract that the clients for all platforms share. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ContractCase, runCase } from './contract.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'push-contract')
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))

it('the contract has cases', () => expect(files).toContain('registration.json'))

describe.each(files)('%s', (file) => {
  const { cases } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as {
    cases: ContractCase[]
  }
  it.each(cases)('$name', async (given) => await runCase(given))
})
