// SPDX-License-Identifier: Apache-2.0
// The peer of the benchmark labels: OpenCV's connectedComponents with one thread on a random grid.
//   labels_opencv L p
// Prints two numbers: million cells a second for black with 4 and white with 8 neighbours, medians of 7 rounds, by the
// process's time on the processor. The labels are written to an array that is there already.
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

static double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int const side = std::atoi(argv[1]);
  double const p = std::atof(argv[2]);
  cv::setNumThreads(1);
  cv::Mat black(side, side, CV_8U), white(side, side, CV_8U), labels(side, side, CV_32S);
  std::mt19937_64 random(7);
  std::bernoulli_distribution draw(p);
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      bool const set = draw(random);
      black.at<unsigned char>(j, i) = set ? 1 : 0;
      white.at<unsigned char>(j, i) = set ? 0 : 1;
    }
  for (int neighbours : {4, 8}) {
    std::vector<double> seconds;
    for (int round = 0; round < 8; ++round) {
      double const start = processor_seconds();
      cv::connectedComponents(neighbours == 4 ? black : white, labels, neighbours, CV_32S);
      if (round > 0) seconds.push_back(processor_seconds() - start);
    }
    std::sort(seconds.begin(), seconds.end());
    std::printf("%.3f\n", 1e-6 * side * side / seconds[seconds.size() / 2]);
  }
  return 0;
}
