// SPDX-License-Identifier: Apache-2.0
// A peer of the benchmark percolation: OpenCV's connectedComponents with one thread.
//   labels_opencv FILE L ROUNDS
// Prints the times for black with 4 and white with 8 neighbours, and the numbers of clusters. The labels are written to
// an array that is there already.
#include "bench/measure.hpp"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

int main(int argc, char** argv) {
  using namespace tessera::bench;
  if (argc != 4) return 2;
  int const side = std::stoi(argv[2]);
  auto bytes = read_bytes(argv[1], static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  cv::setNumThreads(1);
  cv::Mat const black(side, side, CV_8U, bytes.data());
  cv::Mat const white = 1 - black;
  cv::Mat labels(side, side, CV_32S);
  for (int neighbours : {4, 8}) {
    std::string const name = neighbours == 4 ? "black4" : "white8";
    int clusters = 0;
    time_rounds(name, 1, std::stoi(argv[3]), [&] {
      clusters = cv::connectedComponents(neighbours == 4 ? black : white, labels, neighbours, CV_32S);
    });
    std::printf("%s_clusters %d\n", name.c_str(), clusters - 1);  // the background is one of OpenCV's
  }
  return 0;
}
