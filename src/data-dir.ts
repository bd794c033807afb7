/** Where the embedded PostgreSQL and the master key live. */
import { resolve } from 'node:path'

export const chooseDataDir = (configured: string | undefined, workingFolder: string): string =>
  resolve(workingFolder, configured ?? 'data')
