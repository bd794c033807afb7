/** Name and flags of the compiled file of mail domains, for its writer and its reader. */

export const DOMAIN_LISTS_FILE = 'domains.bin'
export const DOMAIN_LISTS_PREFIX = 'domains'

/** One bit per source; sources that copy from each other share one. */
export const LIST_FLAGS = {
  curated: 1,
  scraped: 2,
  first_big_list: 4,
  second_big_list: 8,
  free_mail: 32,
  relay: 64,
} as const
