/** Reads a text that a command takes from a file. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { reasonOf } from '../platform/operator-error.ts'
import { CommandError, type Io } from './io.ts'

/**
 * @param file relative to the folder of the caller; `-` for standard input
 * @throws CommandError when it cannot be read
 */
export function readInputFile({ working_folder }: Io, file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : resolve(working_folder, file), 'utf8')
  } catch (cause) {
    throw new CommandError(`Cannot read ${file}: ${reasonOf(cause)}`, { cause })
  }
}
