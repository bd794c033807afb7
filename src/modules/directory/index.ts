/** Changes of the directory that transactions about the data of an organization cause. */
export { applyDirectoryChanges, sweepAppliedChanges } from './apply.ts'
export { createDirectoryWriters, type DirectoryWriters } from './writers.ts'
