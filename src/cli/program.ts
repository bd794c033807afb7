/** The command-line program: parses the arguments, runs a command and prints its errors. */
import { Command, CommanderError } from 'commander'
import { VERSION } from '../app/version.ts'
import { OperatorError, reasonOf } from '../platform/operator-error.ts'
import { accountCommands } from './commands/accounts.ts'
import { backupCommands } from './commands/backup.ts'
import { cellCommands } from './commands/cells.ts'
import { checkCommands } from './commands/checks.ts'
import { configurationCommands } from './commands/configuration.ts'
import { creditCommands } from './commands/credits.ts'
import { demoCommand } from './commands/demo.ts'
import { doctorCommand } from './commands/doctor.ts'
import { emulateCommands } from './commands/emulate.ts'
import { healthCommand } from './commands/health.ts'
import { importCommands } from './commands/imports.ts'
import { keyCommands } from './commands/keys.ts'
import { listCommands } from './commands/lists.ts'
import { loginCommands } from './commands/login.ts'
import { logsCommands } from './commands/logs.ts'
import { mdmCommands } from './commands/mdm.ts'
import { migrateCommand } from './commands/migrate.ts'
import { orderCommands } from './commands/orders.ts'
import { personCommands } from './commands/people.ts'
import { pushCommands } from './commands/push.ts'
import { replayCommand } from './commands/replay.ts'
import { reputationCommands } from './commands/reputation.ts'
import { reviewCommands } from './commands/reviews.ts'
import { rulesCommands } from './commands/rules.ts'
import { secretCommands } from './commands/secrets.ts'
import { serveCommand } from './commands/serve.ts'
import { serveProcessCommand } from './commands/serve-process.ts'
import { type Io, ReportedFailure } from './io.ts'

/**
 * @param args without the names of the interpreter and the program
 * @returns the exit status
 */
export async function runProgram(args: string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return reportFailure(error, io, args.includes('--json'))
  }
}

/**
 * All commands, to be run or, in tests of the documentation, inspected. Each is declared in `commands/`
 * and imports what it does when it runs.
 */
export function createProgram(io: Io): Command {
  const program = new Command('vigil')
    .description('Fraud checks, scoring, logs, devices, webhooks and push in one service')
    .version(VERSION)
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout(text.trimEnd()),
      writeErr: (text) => io.stderr(text.trimEnd()),
    })
  const groups = [
    serveCommand,
    serveProcessCommand,
    demoCommand,
    migrateCommand,
    backupCommands,
    doctorCommand,
    healthCommand,
    loginCommands,
    accountCommands,
    keyCommands,
    cellCommands,
    configurationCommands,
    creditCommands,
    checkCommands,
    orderCommands,
    importCommands,
    reviewCommands,
    reputationCommands,
    personCommands,
    replayCommand,
    rulesCommands,
    listCommands,
    logsCommands,
    mdmCommands,
    pushCommands,
    secretCommands,
    emulateCommands,
  ]
  for (const add of groups) add(program, io)
  return program
}

/** Prints an error that the operator can fix as its message, and any other with its stack. */
export function reportFailure(error: unknown, io: Io, isJson: boolean): number {
  if (error instanceof ReportedFailure) return 1
  if (error instanceof CommanderError) return reportUsage(error, io, isJson)
  const isPlain = error instanceof OperatorError
  if (isJson) io.stdout(JSON.stringify({ error: reasonOf(error) }))
  const stack = error instanceof Error ? error.stack : undefined
  io.stderr(isPlain || stack === undefined ? reasonOf(error) : stack)
  return 1
}

/** Commander has already printed the error. Help and version also end this way, with status 0. */
function reportUsage({ exitCode, message }: CommanderError, io: Io, isJson: boolean): number {
  if (isJson && exitCode !== 0) {
    const [, fault] = /^error: (.*)$/s.exec(message) ?? []
    // A group of commands has no --json option; its subcommand is missing.
    const isIncomplete = fault === undefined || fault === "unknown option '--json'"
    io.stdout(JSON.stringify({ error: isIncomplete ? 'The command is incomplete' : fault }))
  }
  return exitCode
}
