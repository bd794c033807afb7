/** The data folder, which contains the embedded engines and the master key. */
import { resolve } from 'node:path'

export const chooseDataDir = (configured: string | undefined, workingFolder: string): string =>
  resolve(workingFolder, configured ?? 'data')

/** For root in a folder that only root can enter, because neither service nor databases run as root. */
export const SYSTEM_DATA_DIR = '/var/lib/vigil'
