/** Whether npm installed the embedded engine, which is optional because it takes 543 MB. */
import { installedPackageFolder } from '../../package-root.ts'

export const isEngineInstalled = (): boolean => installedPackageFolder('chdb') !== undefined
