/** Changes of the directory that transactions about the data of an organization cause. */
export { applyDirectoryChanges, sweepAppliedChanges } from './apply.store.ts'
export { createDirectoryWriters, type DirectoryWriters } from './writers.store.ts'
