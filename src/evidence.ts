/** What is enough to hold a machine for gone. */
export enum Evidence {
  /**
   * A complete, successful look-up in every place of the provider did not find it, or found it in its final state. For names that no other
   * account uses, and a provider that is told of every place where such machines may be: a machine elsewhere that is stopped, so that its
   * runner is offline, looks like one that is gone.
   */
  ABSENT = 'absent',

  /**
   * One of the two looks saw it in its final state, in this account. EC2 shows terminated instances for about an hour, so registrations
   * that were ghosts before are left to GitHub. For names that other accounts may use as well, and whenever machines, stopped
   * ones too, may exist in places that the provider is not told of.
   */
  TERMINATED_SEEN = 'terminated',
}
