#!/usr/bin/env node
/** Entry point of the `vigil` program. */
import { systemIo } from './cli/io.ts'
import { reportFailure, runProgram } from './cli/program.ts'
import { readEnvironment } from './config.ts'

const args = process.argv.slice(2)
const io = systemIo()
try {
  const environment = readEnvironment(io.working_folder)
  process.exitCode = await runProgram(args, { ...io, environment })
} catch (error) {
  process.exitCode = reportFailure(error, io, args.includes('--json'))
}
