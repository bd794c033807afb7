/**
 * Shared by all commands: input, output and errors of the command line. Output is text or, with
 * `--json`, one JSON object.
 */
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { stringifyExact } from '../platform/exact-json.ts'
import { OperatorError } from '../platform/operator-error.ts'

export type Io = {
  working_folder: string
  /** Whether what is printed reaches a person and is not stored, as in a journal. */
  is_terminal?: boolean
  /** Set in the program, which gives up root before it uses the data directory. */
  leaves_root?: boolean
  environment: Record<string, string | undefined>
  stdout: (text: string) => void
  stderr: (text: string) => void
  /** Prompts the user; undefined without a terminal. */
  ask?: (question: string) => Promise<string>
}

/** A mistake of the caller. Only its message is printed, without a stack. */
export class CommandError extends OperatorError {}

/** The command has already printed its failure, so only the exit status is left to set. */
export class ReportedFailure extends Error {}

/** Without the environment, which the entry point reads so that it can report errors in it. */
export function systemIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader)
  return {
    working_folder: process.cwd(),
    is_terminal: process.stdout.isTTY,
    leaves_root: true,
    environment: {},
    stdout: (text) => process.stdout.write(`${text}\n`),
    stderr: (text) => process.stderr.write(`${text}\n`),
    ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
  }
}

/** The question goes to stderr, because stdout is for the result. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/** @throws CommandError unless the user answers with yes */
export async function confirm({ ask: askUser }: Io, question: string): Promise<void> {
  if (!askUser) throw new CommandError(`${question} Confirm with --yes`)
  const answer = await askUser(`${question} (yes/no) `)
  if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('Nothing was changed')
}

/** A reader that closes the pipe early (`vigil key list | head -1`) is not an error. */
function endWithReader(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error
  process.exitCode ??= 0
}

export type Options = { json?: boolean }

/** `json` is the whole result, `lines` the same as text. */
export type Output = { json: object; lines: string[] }

export type Action<O extends Options> = (io: Io, options: O, ...args: string[]) => Promise<Output>

/**
 * Gives a command the `--json` option and an action. Its result is printed. The action is imported
 * when the command runs, so that help and errors of the command line do not wait for the service.
 */
export function setAction<O extends Options>(
  command: Command,
  io: Io,
  load: () => Promise<Action<O>>,
): Command {
  return command
    .option('--json', 'print one JSON object')
    .action(async (...parameters: unknown[]) => {
      // Commander passes the arguments, then the options, then the command itself.
      const options = parameters.at(-2) as O
      const args = parameters.slice(0, -2) as string[]
      const action = await load()
      const { json, lines } = await action(io, options, ...args)
      if (options.json) io.stdout(stringifyExact(json))
      else for (const line of lines) io.stdout(line)
    })
}
