import Sequencer from '@jest/test-sequencer';

/** Tests that start a stack of their own take longest; without a cache, Jest would start the largest files first. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const isLong = ({ path }) => path.includes('/local-stack/');
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
