/** Runs commands of the program in this process, on the database that all test files share. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { runProgram } from '../../src/cli/program.ts'
import { TEST_MASTER_KEY } from '../harness.ts'

export type Said = { status: number; stdout: string; stderr: string }

export type Commands = {
  vigil(...args: string[]): Promise<Said>
  /** With `--json`, for commands that succeed. @returns the object that was printed */
  vigilJson<T>(...args: string[]): Promise<T>
}

/** For a whole test file, with a data directory of its own. */
export function useCommands(): Commands {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'vigil-commands-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const vigil = async (...args: string[]): Promise<Said> => {
    const { host, port, user, database } = inject('postgres')
    const said = { stdout: '', stderr: '' }
    const status = await runProgram(args, {
      working_folder: folder,
      environment: {
        DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
        VIGIL_MASTER_KEY: TEST_MASTER_KEY,
        VIGIL_DATA_DIR: folder,
      },
      stdout: (text) => {
        said.stdout += `${text}\n`
      },
      stderr: (text) => {
        said.stderr += `${text}\n`
      },
    })
    return { status, ...said }
  }
  return {
    vigil,
    vigilJson: async <T>(...args: string[]) => {
      const { status, stdout, stderr } = await vigil(...args, '--json')
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      return JSON.parse(stdout) as T
    },
  }
}
