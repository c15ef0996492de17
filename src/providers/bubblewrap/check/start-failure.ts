/** Why no sandbox can be started, and what to do about it. */
export interface Refusal {
  readonly reason: string;
  readonly remedy: string;
}

/** The machine's settings for namespaces of ordinary users. */
export interface Switches {
  readonly userNamespacesOff: boolean;
  readonly restrictedByAppArmor: boolean;
}

const ALTERNATIVE = 'Or use the Docker or the embedded provider.';

/** Explains the output of a sandbox that did not start. */
export function describeStartFailure(printed: string, switches: Switches): Refusal {
  const lastLine = printed.trim().split('\n').at(-1) ?? '';
  const limit = /^prlimit: failed to set the (\w+) resource limit/m.exec(printed)?.[1];
  if (limit !== undefined) {
    return {
      reason: `this process may not set the limit ${limit} that sandboxes get (${lastLine})`,
      remedy: `Raise the hard limit ${limit} of this process: for NOFILE, with \`ulimit -Hn\` or, in a unit of systemd, LimitNOFILE=. ${ALTERNATIVE}`,
    };
  }
  if (switches.userNamespacesOff) {
    return {
      reason: `user namespaces are disabled on this machine (${lastLine})`,
      remedy: `As root: sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000. ${ALTERNATIVE}`,
    };
  }
  if (/mount(?:ing)? proc/i.test(printed)) {
    return {
      reason: `a sandbox cannot mount its own /proc, as in most containers (${lastLine})`,
      remedy: `Run this outside of a container, or give the container an unmasked /proc (Docker: --security-opt systempaths=unconfined). ${ALTERNATIVE}`,
    };
  }
  if (switches.restrictedByAppArmor) {
    return {
      reason: `AppArmor denies user namespaces to ordinary programs, as on Ubuntu (${lastLine})`,
      remedy: `As root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or install a profile for /usr/bin/unshare and bwrap that allows userns. ${ALTERNATIVE}`,
    };
  }
  if (/not permitted|permission denied|unshare failed/i.test(printed)) {
    return {
      reason: `the kernel refuses to create namespaces, as in most containers (${lastLine})`,
      remedy: `Run this outside of a container, or allow user namespaces in the container. ${ALTERNATIVE}`,
    };
  }
  return {
    reason: `a sandbox does not start: ${lastLine || 'it printed nothing'}`,
    remedy: ALTERNATIVE,
  };
}
