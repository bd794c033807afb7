/**
 * Shows or stores the password and the keys of the first start. A terminal shows them once. Any other
 * output may be stored, as by systemd or Docker, so that they go into a file instead.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exampleCheck, type FirstRun } from '../app/first-run.ts'
import { OperatorError, reasonOf } from '../platform/operator-error.ts'

export const credentialsFile = (dataDir: string): string => join(dataDir, 'first-start.json')

/** Replaces the file of a first start that was interrupted before it created anything. */
export function writeCredentials(dataDir: string, first: FirstRun): void {
  const path = credentialsFile(dataDir)
  try {
    rmSync(path, { force: true })
    const file = openSync(path, 'wx', 0o600)
    try {
      writeFileSync(file, `${JSON.stringify(first, undefined, 2)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    syncFolder(dataDir)
  } catch (cause) {
    throw new OperatorError(
      `The credentials of the first start cannot be written to ${path}: ${reasonOf(cause)}`,
      { cause },
    )
  }
}

/** The new file survives a power cut with the rows that it belongs to. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** @returns undefined when the operator has deleted the file, or there was none */
export function findCredentials(dataDir: string): string | undefined {
  const path = credentialsFile(dataDir)
  return existsSync(path) ? path : undefined
}

export function firstStartLines(
  { org_id, email, password, keys }: FirstRun,
  url?: string,
): string[] {
  const lines = [
    '',
    'First start. Store these credentials; they are not shown again.',
    `  organization  ${org_id}`,
    `  owner         ${email}`,
    `  password      ${password}`,
    ...Object.entries(keys).map(([type, key]) => `  ${type.padEnd(13)} ${key}`),
  ]
  if (url !== undefined) lines.push('', 'Try a check:', exampleCheck(url, keys.test_secret))
  return lines
}

export const fileLines = (path: string): string[] => [
  '',
  'The password of the first owner and the first API keys are in this file, which only the account of',
  'the service and root can read. Store them elsewhere and delete the file.',
  `  credentials   ${path}`,
]
