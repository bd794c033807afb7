/** Contract of the merged groups of errors. */

/** `group` is the group to which the fingerprint belongs, and `merged_by` the email of the member, null if deleted. */
export type MergedGroups = {
  group: string
  merged: { fingerprint: string; merged_at: string; merged_by: string | null }[]
}
