/** What is enough to hold a machine for gone. */
export enum Evidence {
  /**
   * A complete, successful look-up in every place of the provider did not find it, or found it in its final state. Names must not be
   * shared with other accounts.
   */
  ABSENT = 'absent',

  /**
   * One of the two looks saw it in its final state, in this account. EC2 shows terminated instances for about an hour, so registrations
   * that were ghosts before are left to GitHub. Makes names safe that other accounts use as well.
   */
  TERMINATED_SEEN = 'terminated',
}
